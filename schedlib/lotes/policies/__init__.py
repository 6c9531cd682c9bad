"""The policies of stage 3: LoTES in two versions, Greedy, Tetris, and a reader's own."""
