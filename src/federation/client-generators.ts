/** Clients made when they are asked for: what a generator is, and the table of them. */
import type { Records } from '../data/records.js'
import { toyClient } from '../data/toy-least-squares.js'
import type { Rng } from '../numeric/random/rng.js'
import { number, type Params, type ValuesOf, whole } from '../params.js'
import { type Entry, type Named, table } from '../registry.js'

export interface Generator<P extends Params = Params> extends Entry<P> {
  /** Records of every client alike, and how client k's are made: from its own stream, whoever else there is. */
  prepare(values: ValuesOf<P>, rng: Rng): { readonly samples: number; records(client: number): Records }
}

const defineGenerator = <const I extends string, const P extends Params>(
  generator: Generator<P> & { readonly id: I },
): Generator<P> & { readonly id: I } => generator

const toyClients = defineGenerator({
  id: 'toy-least-squares',
  title: 'uniform columns, one coin, an affine law and noise',
  params: {
    recordsPerClient: whole({ default: 20, min: 1, doc: 'records each client holds' }),
    numericColumns: whole({ default: 9, min: 0, doc: 'uniform columns, besides the coin' }),
    noiseStd: number({ default: 0.1, min: 0, doc: 'standard deviation of the noise on the label' }),
    heterogeneity: number({ default: 0, min: 0, doc: "deviation of each client's law from the common one" }),
  },
  prepare: (values, rng) => ({ samples: values.recordsPerClient, records: toyClient(rng, values) }),
})

export const generators = table('generator', [toyClients])

export type GeneratorSpec = Named<typeof generators>
