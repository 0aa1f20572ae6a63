/** What every request meets before its route: its place in the count, its origin, and the reasons to refuse it. */
