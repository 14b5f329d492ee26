/** Takes the masks off a sum: secrets decoded around wrong shares, whose senders are named. */
import { SumAborted } from '../secure-aggregation/aborted.js'
import { addMasks, pairMask, selfMask, signOf } from '../secure-aggregation/masks.js'
import type { Bytes } from '../secure-aggregation/primitives.js'
import { joined } from '../secure-aggregation/wire-messages.js'
import { decodeShares } from './decode-shares.js'
import { exclude, type ServerState } from './server-state.js'

export async function unmask(state: ServerState): Promise<void> {
  const suspects = new Set<number>()
  await takeSelfMasks(state, suspects)
  await takePairMasks(state, suspects)
}

async function secretOf(
  state: ServerState,
  {
    owner,
    what,
    isRight,
    suspects,
  }: { owner: number; what: 'seed' | 'key'; isRight(secret: Bytes): Promise<boolean>; suspects: Set<number> },
): Promise<Bytes> {
  const { seedShares, keyShares, terms } = state
  const shares = (what === 'seed' ? seedShares : keyShares).get(owner) ?? []
  if (shares.length < terms.shares) {
    throw new SumAborted(
      `${shares.length} shares of client ${owner}'s ${what} are left where ${terms.shares} are needed`,
    )
  }
  const found = await decodeShares(shares, { threshold: terms.shares, isRight, suspects })
  if (found === undefined) {
    exclude(state, owner, `shares of its ${what} that do not belong together`)
    throw new SumAborted(`shares of client ${owner}'s ${what} do not belong together`)
  }
  for (const place of found.wrong.filter((one) => !suspects.has(one))) {
    suspects.add(place)
    exclude(state, place, `revealed another share of client ${owner} than it was dealt`)
  }
  return found.secret
}

/** The masks that survivors put on alone. */
async function takeSelfMasks(state: ServerState, suspects: Set<number>): Promise<void> {
  const { session, primitives, dealt, survivors, total } = state
  const length = total.length
  await addMasks(total, [...survivors], async (u) => {
    const { commitment } = dealt.get(u)!
    const isRight = async (seed: Bytes) => (await primitives.hash(joined(session, seed))).join() === commitment.join()
    const seed = await secretOf(state, { owner: u, what: 'seed', isRight, suspects })
    const values = await selfMask(primitives, seed, { session, length, u })
    seed.fill(0)
    return { values, sign: -1 }
  })
}

/** The masks that survivors share with those who took part and sent no update. */
async function takePairMasks(state: ServerState, suspects: Set<number>): Promise<void> {
  const { session, primitives, adverts, dealt, sharers, survivors, total } = state
  const length = total.length
  for (const v of [...sharers].filter((place) => !survivors.has(place))) {
    const stated = adverts.get(v)!.mask.join()
    const isRight = async (secret: Bytes) => (await primitives.keyPair(secret)).publicKey.join() === stated
    const secret = await secretOf(state, { owner: v, what: 'key', isRight, suspects })
    if (!(await isRight(secret))) {
      exclude(state, v, 'shares of another mask key than it advertised')
      throw new SumAborted(`client ${v} shared another mask key than it advertised`)
    }
    const own = await primitives.keyPair(secret)
    const others = [...survivors].filter((u) => dealt.get(v)!.sealed.has(u) || dealt.get(u)!.sealed.has(v))
    await addMasks(total, others, async (u) => {
      const shared = await own.agree(adverts.get(u)!.mask)
      return { values: await pairMask(primitives, shared, { session, length, u, v }), sign: signOf(v, u) }
    })
    secret.fill(0)
  }
}
