/** Derives for attacks, once for all who ask for the same: other attacks, controls, observers, and other threads. */
import { type Derive, type Item, type Maker, modelsOf, partOf } from '../../attacks/derivation.js'
import type { Rng } from '../../numeric/random/rng.js'
import type { View } from '../../threat/granted-keys.js'
import { canonical } from '../../transcript/canonical.js'
import { sha256Bytes } from '../../transcript/file-digest.js'
import { described, hexOf } from './digest.js'
import type { Keeper } from './keeper.js'
import { joined } from './packed-doubles.js'

/**
 * A result is known by a hash of the derivation, its stream, its settings, the part of the view that it is handed and the
 * models it reads, all by their contents: two views share what both could make, and nothing else. What another thread is
 * making is left to it while there is something else to make.
 */
export function deriver(rng: Rng, keeper: Keeper): Derive {
  return async (derivation, { view, settings, items, onItem, tick }) => {
    const { id } = derivation
    const part = partOf(view, derivation.of(settings))
    const stream = rng.fork(id)
    const told = canonical(await described({ id, stream: stream.address(), settings, part }))
    const nameOf = namer(view, hexOf(await sha256Bytes(new TextEncoder().encode(told))))
    let maker: Maker | undefined
    let done = 0
    const tell = async (index: number, found: Parameters<typeof onItem>[1]): Promise<void> => {
      await onItem(index, found)
      tick?.(++done, items.length)
    }
    const make = async (index: number, key: string): Promise<void> => {
      try {
        const models = await modelsOf(view, items[index]!)
        maker ??= derivation.open(part, settings, stream)
        const found = maker.make(items[index]!, models)
        await keeper.write(key, found)
        await tell(index, found)
      } catch (error) {
        await keeper.drop(key)
        throw error
      }
    }
    tick?.(0, items.length)
    const elsewhere: number[] = []
    try {
      for (const index of items.keys()) {
        const key = await nameOf(items[index]!)
        const found = await keeper.read(key)
        if (found !== undefined) await tell(index, found)
        else if (await keeper.claim(key)) await make(index, key)
        else elsewhere.push(index)
      }
      for (const index of elsewhere) {
        const key = await nameOf(items[index]!)
        const found = await keeper.wait(key)
        if (found !== undefined) await tell(index, found)
        else await make(index, key)
      }
    } finally {
      maker?.release()
    }
  }
}

/** Digests of the models of a series, and of what was named by them: whoever asks for the same series again finds both. */
const known = new WeakMap<object, Map<string, Promise<string>>>()

/** Names items of what `base` tells, by the contents of the models that each reads. */
function namer({ globals }: View<'globals'>, base: string): (item: Item) => Promise<string> {
  const own = known.get(globals) ?? new Map<string, Promise<string>>()
  known.set(globals, own)
  const once = (what: string, make: () => Promise<string>): Promise<string> => {
    const found = own.get(what) ?? make()
    own.set(what, found)
    found.catch(() => own.delete(what))
    return found
  }
  const modelOf = (round: number): Promise<string> =>
    once(`model ${round}`, async () => hexOf(await sha256Bytes(joined([await globals.read(round)]))))
  return async (item) => {
    const words = `${base}\n${canonical(await described(item))}`
    return once(words, async () => {
      const models = await Promise.all(item.rounds.map(modelOf))
      return hexOf(await sha256Bytes(new TextEncoder().encode(`${words}\n${models}`)))
    })
  }
}
