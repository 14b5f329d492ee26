/** The line of a key in a YAML or JSON text; of its nearest parent where it is not there. */
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'

/** A finder for many keys of one text. Lines begin at 1; a text that cannot be read has line 1 alone. */
export function linesOf(text: string): (path: readonly (string | number)[]) => number {
  const lineCounter = new LineCounter()
  const root = parseDocument(text, { lineCounter }).contents as Node | null
  const lineAt = (node: Node): number => (node.range ? lineCounter.linePos(node.range[0]).line : 1)
  return (path) => {
    let [node, line]: [Node | null, number] = [root, root === null ? 1 : lineAt(root)]
    for (const key of path) {
      const pair = isMap(node)
        ? node.items.find((one) => isScalar(one.key) && String(one.key.value) === String(key))
        : undefined
      const item = isSeq(node) ? (node.items[Number(key)] as Node | undefined) : undefined
      const next = (pair?.value ?? item) as Node | null | undefined
      if (pair === undefined && item === undefined) break
      line = lineAt((pair?.key ?? item) as Node)
      node = next ?? null
    }
    return Math.max(1, line)
  }
}
