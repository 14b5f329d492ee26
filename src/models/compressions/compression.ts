/** What a compression is: how a client shortens the change that it sends. */
import type { Params, ValuesOf } from '../../params.js'
import type { Entry } from '../../registry.js'

export interface Compression<P extends Params = Params> extends Entry<P> {
  /** What is left of a change; absent: all of it. */
  compress?(change: Float64Array, values: ValuesOf<P>): Float64Array
}

export const defineCompression = <const I extends string, const P extends Params>(
  compression: Compression<P> & { readonly id: I },
): Compression<P> & { readonly id: I } => compression
