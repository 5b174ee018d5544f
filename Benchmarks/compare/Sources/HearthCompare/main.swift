import Foundation

exit(HearthCompare.main(Array(CommandLine.arguments.dropFirst())))
