"""The limit of the flow of linear attention from every start in the orthant."""
