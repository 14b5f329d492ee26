/** JSON piece by piece: a document may be longer than a string can be. */

const enough = 1 << 16

/** The pieces of `JSON.stringify(value)` of plain data, each a part of the text in its order. */
export function* jsonPieces(value: unknown): Generator<string> {
  let text = ''
  for (const part of parts(value)) {
    text += part
    if (text.length < enough) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

function* parts(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) {
    yield JSON.stringify(value) ?? 'null'
    return
  }
  if (Array.isArray(value)) {
    // Lists of numbers are the long ones, and short as text each.
    if (value.length < 1000 && value.every((one) => typeof one !== 'object' && typeof one !== 'string')) {
      yield JSON.stringify(value)
      return
    }
    let before = '['
    for (const one of value) {
      yield before
      yield* parts(one)
      before = ','
    }
    yield before === '[' ? '[]' : ']'
    return
  }
  let before = '{'
  for (const [key, one] of Object.entries(value)) {
    if (one === undefined) continue
    yield `${before}${JSON.stringify(key)}:`
    yield* parts(one)
    before = ','
  }
  yield before === '{' ? '{}' : '}'
}
