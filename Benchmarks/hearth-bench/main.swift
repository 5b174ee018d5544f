print("hearth-bench")
