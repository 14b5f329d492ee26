/** How a line of results.jsonl holds a result: one in another format is left where it is, and its job is run again. */
export const resultFormat = 'overhear-result/2'
