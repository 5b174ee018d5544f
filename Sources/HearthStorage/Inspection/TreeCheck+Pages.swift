/// The trees, page by page.
extension TreeCheck {
  /// What a page is seen as from above.
  struct Position {
    let tree: TreeID
    let level: UInt8
    /// The bounds of its keys: those of the parent, which live as long as the parent's page.
    let lower: PageKey
    let upper: PageKey?

    var keyPrefix: [UInt8] { [UInt8](lower.bytes.prefix(Finding.keyBytesMax)) }
  }

  func check(_ root: TreeRoot, of tree: TreeID) {
    check(root.child, Position(tree: tree, level: root.level, lower: .empty, upper: nil))
  }

  /// Checks a page and all below it.
  private func check(_ child: ChildReference, _ position: Position) {
    guard report.isComplete else {
      isWalkWhole = false
      return
    }
    func found(_ kind: Finding.Kind, _ error: StorageError) {
      find(
        Finding(
          kind: kind, error, at: child.base, sources[child.base.place.segment]?.reader, tree: position.tree,
          level: position.level, keyPrefix: position.keyPrefix))
    }
    advance(child.base.byteCount)
    let source: Source
    do throws(Refusal) {
      source = try claimOrRefuse(child.base, .page, tree: position.tree, level: position.level)
    } catch {
      isWalkWhole = false
      found(error.kind, error.error)
      return
    }
    report.pageCount += 1
    checkExtras(child, position, found)
    // A leaf that leads to other blocks is read in any case: what is alive can't be counted without.
    if position.level == 0, depth == .quick, !child.hasBlobs { return }
    var kind = Finding.Kind.block
    do throws(StorageError) {
      try raw(child.base, .page, source.reader) { (raw) throws(StorageError) in
        kind = .page
        let page = try PageReader(validating: raw)
        agree(page, child, position, found)
        if page.level != position.level {
          isWalkWhole = false
        } else if page.isLeaf {
          report.entriesRead += page.count
          if page.hasBlobs { checkBlobs(of: page, position.tree) }
        } else {
          checkChildren(of: page, position.tree)
        }
      }
    } catch {
      if position.level > 0 || child.hasBlobs { isWalkWhole = false }
      found(kind, error)
    }
  }

  private func checkChildren(of page: PageReader, _ tree: TreeID) {
    for index in 0..<page.count {
      check(
        page.child(index),
        Position(
          tree: tree, level: page.level - 1, lower: page.lowerFence(ofChild: index),
          upper: page.upperFence(ofChild: index)))
    }
  }

  /// The blocks of a leaf's long values.
  private func checkBlobs(of leaf: PageReader, _ tree: TreeID) {
    for index in 0..<leaf.count where leaf.isBlob(index) {
      let keyPrefix = [UInt8](leaf.key(index).bytes.prefix(Finding.keyBytesMax))
      let blob: BlobReference
      do throws(StorageError) { blob = try BlobReference(leaf.value(index)) } catch {
        isWalkWhole = false
        find(Finding(kind: .page, message: error.message, tree: tree, level: 0, keyPrefix: keyPrefix))
        continue
      }
      func found(_ kind: Finding.Kind, _ error: StorageError) {
        let reader = sources[blob.block.place.segment]?.reader
        find(Finding(kind: kind, error, at: blob.block, reader, tree: tree, level: 0, keyPrefix: keyPrefix))
      }
      advance(blob.block.byteCount)
      let source: Source
      do throws(Refusal) {
        source = try claimOrRefuse(blob.block, .blob, tree: tree, level: 0)
      } catch {
        isWalkWhole = false
        found(error.kind, error.error)
        continue
      }
      guard depth == .full else { continue }
      do throws(StorageError) {
        let valueBytes = try raw(blob.block, .blob, source.reader) { $0.count }
        guard valueBytes == blob.valueBytes else {
          throw StorageError(
            .corruption, "a long value of \(valueBytes) bytes where one of \(blob.valueBytes) belongs")
        }
      } catch { found(.block, error) }
    }
  }

  /// What a reference says besides the page.
  private func checkExtras(
    _ child: ChildReference, _ position: Position, _ found: (Finding.Kind, StorageError) -> Void
  ) {
    if child.delta != nil {
      isWalkWhole = false
      found(.unsupported, StorageError(.unsupportedFormat, "a page with a delta"))
    } else if child.deadBytes > 0 {
      found(
        .deadBytes, StorageError(.corruption, "\(child.deadBytes) dead bytes in a page that nothing has changed"))
    }
  }

  /// What page and parent say of each other.
  private func agree(
    _ page: PageReader, _ child: ChildReference, _ position: Position,
    _ found: (Finding.Kind, StorageError) -> Void
  ) {
    if page.level != position.level {
      found(
        .level,
        StorageError(.corruption, "a page of level \(page.level) where one of level \(position.level) belongs"))
    }
    // A page may be narrower: it stays as it is when its neighbour goes.
    if !page.isWithin(lower: position.lower, upper: position.upper) {
      found(
        .fences,
        StorageError(
          .corruption,
          "a page from \(page.lowerFence.hex) to \(page.upperFence?.hex ?? "the end") within"
            + " \(position.lower.hex) to \(position.upper?.hex ?? "the end")"))
    }
    if page.entryCount != child.entryCount, child.delta == nil {
      found(
        .count,
        StorageError(.corruption, "a page of \(page.entryCount) entries where \(child.entryCount) belong"))
    }
    if page.start.u64(PageFormat.Header.filter) != 0 {
      isWalkWhole = false
      found(.unsupported, StorageError(.unsupportedFormat, "a page with a filter"))
    }
    if page.hasBlobs, !child.hasBlobs {
      isWalkWhole = false
      found(.blobFlag, StorageError(.corruption, "a page with blobs whose reference says that it has none"))
    } else if child.hasBlobs, !page.hasBlobs, child.delta == nil {
      found(.blobFlag, StorageError(.corruption, "a page without blobs whose reference says that it has some"))
    }
  }
}
