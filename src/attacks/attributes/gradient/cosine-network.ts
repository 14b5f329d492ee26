/** What the written-out cosines of a network with one hidden layer share: its sizes, its parts, and the direction v. */
import type { Node } from '../../../numeric/engine/graph.js'
import type { Precision } from '../../../numeric/engine/kernels.js'
import * as t from '../../../numeric/engine/trace.js'

export interface Shape {
  readonly n: number
  readonly k: number
  readonly h: number
  readonly d: number
  readonly places: readonly number[]
  readonly scale: number
  readonly precision: Precision
}

/** W, b, w, c as slices of theta, or of anything laid out like it. */
export function parts(flat: Node, { k, h }: Pick<Shape, 'k' | 'h'>) {
  return {
    W: t.slice(flat, 0, { rows: h, cols: k }),
    b: t.slice(flat, h * k, { rows: 1, cols: h }),
    w: t.slice(flat, h * k + h, { rows: 1, cols: h }),
    c: t.slice(flat, h * k + 2 * h, { rows: 1, cols: 1 }),
  }
}

interface Parts {
  readonly W: Node
  readonly b: Node
  readonly w: Node
  readonly c: Node
}

/** The cosine of g with D, and v = D / (|D| |g|) - cos g / |g|^2, part by part. */
export function direction(g: Parts, D: Node, shape: Pick<Shape, 'k' | 'h'>) {
  const DD = parts(D, shape)
  const sums = (a: Parts, o: Parts): Node =>
    t.add(t.add(t.dot(a.W, o.W), t.dot(a.b, o.b)), t.add(t.dot(a.w, o.w), t.mul(a.c, o.c)))
  const lengthSq = sums(g, g)
  const size = t.mul(t.sqrt(lengthSq), t.norm(D))
  const cosine = t.div(sums(g, DD), size)
  const [alpha, beta] = [t.div(t.fill(1), size), t.div(cosine, lengthSq)]
  const v = (part: keyof Parts): Node => t.sub(t.mul(DD[part], alpha), t.mul(g[part], beta))
  return { cosine, V: v('W'), vb: v('b'), vw: v('w'), vc: v('c') }
}
