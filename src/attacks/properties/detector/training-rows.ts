/** The updates that a detector is trained on: in kernel memory, and made again when they do not all fit in it. */
import { OverhearError } from '../../../errors.js'
import { type Buffer, type Engine, engine } from '../../../numeric/engine/engine.js'
import { forEachSpan, type RowBlock, type RowSource } from './row-gram.js'

export interface TrainingRows extends RowSource {
  readonly mean: Float64Array
  /** What a coordinate is divided by. */
  readonly scale: Float64Array
  /** Gives the kernel memory back. */
  release(): void
}

export interface TrainingRowsOptions {
  readonly count: number
  /** The least deviation of a coordinate, as a share of the mean deviation. */
  readonly floor: number
  /** Bytes of a block of updates. All of them are kept if they fit in one, else two blocks. */
  readonly maxBytes: number
}

/** `update(k)` gives the same numbers whenever it is asked, and may overwrite the last ones. Mean and deviation are those of the first block. */
export function trainingRows(
  update: (k: number) => Float64Array,
  { count, floor, maxBytes }: TrainingRowsOptions,
): TrainingRows {
  const host = engine()
  let first: Float64Array | undefined = update(0)
  const z = first.length
  const stride = 4 * Math.ceil(z / 4)
  const blockRows = Math.min(count, Math.max(2, Math.floor(maxBytes / (4 * z))))
  const own: Buffer[] = []
  const allocate = (bytes: number): number => {
    const buffer = host.allocate(bytes)
    own.push(buffer)
    return buffer.address
  }
  const fill = (start: number, address: number): RowBlock => {
    const rows = Math.min(blockRows, count - start)
    for (let k = 0; k < rows; k++) {
      const values = first ?? update(start + k)
      first = undefined
      const row = host.view('f32', address + 4 * k * stride, stride) // only now: making updates may move the memory
      row.set(values)
      row.fill(0, z)
    }
    return { start, count: rows, address }
  }
  /** The one read last comes last. */
  const held = [fill(0, allocate(4 * blockRows * stride))]
  const [meanAt, scaleAt] = [allocate(8 * stride), allocate(8 * stride)]
  momentsInto(host, { rows: held[0]!, length: z, stride, meanAt, scaleAt, floor })
  const values = (address: number): Float64Array => new Float64Array(host.view('f64', address, z))
  return {
    count,
    blockRows,
    length: z,
    stride,
    meanAt,
    scaleAt,
    mean: values(meanAt),
    scale: values(scaleAt),
    read(start) {
      const at = held.findIndex((block) => block.start === start)
      const given = at >= 0 ? held.splice(at, 1)[0]! : undefined
      const place = () => (held.length < 2 ? allocate(4 * blockRows * stride) : held.shift()!.address)
      const block = given ?? fill(start, place())
      held.push(block)
      return block
    },
    release: () => own.splice(0).forEach(host.release),
  }
}

interface Moments extends Pick<RowSource, 'length' | 'stride' | 'meanAt' | 'scaleAt'> {
  readonly rows: RowBlock
  readonly floor: number
}

/**
 * The floor keeps coordinates that hardly vary among few examples from ruling the feature: without it one of them can
 * weigh more than all others together.
 */
function momentsInto(host: Engine, { rows, length: z, stride, meanAt, scaleAt, floor }: Moments): void {
  const { count, address } = rows
  forEachSpan(stride, (from, width) => {
    host.rows.moments(meanAt + 8 * from, scaleAt + 8 * from, address + 4 * from, stride, count, width)
  })
  const scale = host.view('f64', scaleAt, stride)
  let total = 0
  for (let j = 0; j < z; j++) {
    scale[j] = Math.sqrt(scale[j]! / (count - 1))
    total += scale[j]!
  }
  if (!(total > 0)) throw new OverhearError('E_VALUE', 'all simulated updates are equal', 'there is nothing to learn')
  const least = Math.max((floor * total) / z, Number.MIN_VALUE)
  for (let j = 0; j < stride; j++) scale[j] = Math.max(scale[j]!, least)
}
