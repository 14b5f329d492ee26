/** Derives for attacks, once for all who ask for the same: other attacks, controls, observers, and other threads. */
import { type Derive, type Item, type Maker, modelsOf, partOf } from '../../attacks/derivation.js'
import type { Rng } from '../../numeric/random/rng.js'
import { canonical } from '../../transcript/canonical.js'
import { described, digestOf, hexOf } from './digest.js'
import type { Keeper } from './keeper.js'
import { concatenated, joined } from './packed-doubles.js'

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
    const base = canonical(await described({ id, stream: stream.address(), settings, part }))
    let maker: Maker | undefined
    let done = 0
    const tell = async (index: number, found: Parameters<typeof onItem>[1]): Promise<void> => {
      await onItem(index, found)
      tick?.(++done, items.length)
    }
    const make = async (index: number, { key, models }: Named): Promise<void> => {
      try {
        maker ??= derivation.open(part, settings, stream)
        const found = maker.make(items[index]!, models)
        await keeper.write(key, found)
        await tell(index, found)
      } catch (error) {
        await keeper.drop(key)
        throw error
      }
    }
    const nameOf = async (index: number): Promise<Named> => {
      const models = await modelsOf(view, items[index]!)
      return { models, key: await keyOf(base, items[index]!, models) }
    }
    tick?.(0, items.length)
    const elsewhere: number[] = []
    try {
      for (const index of items.keys()) {
        const named = await nameOf(index)
        const found = await keeper.read(named.key)
        if (found !== undefined) await tell(index, found)
        else if (await keeper.claim(named.key)) await make(index, named)
        else elsewhere.push(index)
      }
      for (const index of elsewhere) {
        const named = await nameOf(index)
        const found = await keeper.wait(named.key)
        if (found !== undefined) await tell(index, found)
        else await make(index, named)
      }
    } finally {
      maker?.release()
    }
  }
}

interface Named {
  readonly key: string
  readonly models: readonly Float64Array[]
}

async function keyOf(base: string, item: Item, models: readonly Float64Array[]): Promise<string> {
  const words = new TextEncoder().encode(`${base}\n${canonical(item)}\n${models.map(({ length }) => length)}\n`)
  return hexOf(await digestOf(concatenated([words, joined(models)])))
}
