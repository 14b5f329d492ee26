// @ts-nocheck: the clock of a command is replaced
// Loaded before a command: its clock jumps, by up to two days either way, once in a hundred looks at it.
const honest = Date.now.bind(Date)
let [looks, away] = [0, 0]
const jumping = () => {
  if (++looks % 100 === 0) away = ((looks * 7919) % 345_600_000) - 172_800_000
  return honest() + away
}
globalThis.Date = class extends Date {
  constructor(...given) {
    // @ts-expect-error: all of its forms
    super(...(given.length === 0 ? [jumping()] : given))
  }

  static now() {
    return jumping()
  }
}
