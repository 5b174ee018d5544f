import Testing

struct MarkdownTableTests {
  @Test func tablesComeWithTheirHeading() {
    let tables = MarkdownTable.all(
      in: """
        # Title

        Text | with a bar.

        ## First

        | Offset | size | field |
        | --- | ---: | :-- |
        | 0 | 4 | `magic`, "HRTH" |
        | 4 | 2 | a \\| b |

        ```
        | not | a table |
        | --- | --- |
        ```

        ## Second
        | only |
        |---|
        """)
    #expect(
      tables == [
        MarkdownTable(
          heading: "First", columns: ["offset", "size", "field"],
          rows: [["0", "4", "`magic`, \"HRTH\""], ["4", "2", "a | b"]]),
        MarkdownTable(heading: "Second", columns: ["only"], rows: []),
      ])
    #expect(tables.first?.column("size") == ["4", "2"])
    #expect(tables.first?.column("none") == nil)
  }

  @Test func namesStandBetweenBackticks() {
    #expect(MarkdownTable.names(in: "`A`, `b/c` and more") == ["A", "b/c"])
    #expect(MarkdownTable.names(in: "—").isEmpty)
  }
}
