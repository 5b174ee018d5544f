import Foundation

exit(await HearthBench.main(Array(CommandLine.arguments.dropFirst())))
