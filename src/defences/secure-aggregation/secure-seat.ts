/** A client of secure aggregation as its pool seats it: bytes in, bytes out, and the update trained when it is due. */
import type { ClientSide } from '../../federation/exchange.js'
import { type SecureClient, secureClient } from './masking-client.js'
import { pairKeys } from './pair-keys.js'
import { type Primitives, refused } from './primitives.js'
import { quantise } from './quantise.js'
import { clippedChange, type SharedNoise, withSharedNoise } from './shared-noise.js'
import { decodeInvitation, kindOf, type Terms, termsIn } from './wire-messages.js'

export function secureSeat(primitives: Primitives, noise?: SharedNoise): ClientSide {
  const shared = { pairKeys: pairKeys(primitives), primitives }
  return ({ weight, change, rounding }) => {
    let own: { readonly client: SecureClient; readonly terms: Terms } | undefined
    let clipped = 0 // values of its update beyond the clip
    return {
      async answer(bytes) {
        if (own === undefined) {
          const { session, place, terms } = decodeInvitation(bytes)
          if (weight > terms.largest)
            throw refused(`a largest weight of ${terms.largest}: client ${place} has ${weight}`)
          const common = { threshold: terms.threshold, terms: termsIn(bytes) }
          own = { terms, client: secureClient({ session, place, ...common, ...shared }) }
          return own.client.advertise()
        }
        const { client, terms } = own
        switch (kindOf(bytes)) {
          case 'roster':
            return client.share(bytes)
          case 'inbox':
            return client.mask(bytes, () => {
              const [values, scale] = [change(), weight / terms.largest]
              const found =
                noise === undefined
                  ? quantise(values, terms.quantisation, scale)
                  : withSharedNoise(
                      quantise(clippedChange(values, noise), terms.quantisation, scale),
                      terms.quantisation,
                      { noise, rng: rounding().fork('noise') },
                    )
              clipped = found.clipped
              return found.values
            })
          case 'survivors':
            return client.reveal(bytes)
          default:
            throw refused('a message that no client waits for')
        }
      },
      notes: () => ({ clipped }),
    }
  }
}
