/** Which tensor of a file is which parameter, where the file has names of its own: by shape, and alike ones by their numbers. */
import { harmless, OverhearError } from '../errors.js'
import type { ParameterShape } from './manifest.js'

interface Shaped {
  readonly shape: readonly number[]
}

/** Names in the file, in the order of the parameters. What cannot be told apart is an error that lists both sides. */
export function matchByShape(
  parameters: readonly ParameterShape[],
  found: ReadonlyMap<string, Shaped>,
  where: string,
): readonly string[] {
  const groups = new Map<string, string[]>()
  for (const [name, one] of found) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), name])
  const wanted = new Map<string, number>()
  for (const one of parameters) wanted.set(keyOf(one), (wanted.get(keyOf(one)) ?? 0) + 1)
  const fits = [...wanted].every(([key, count]) => groups.get(key)?.length === count)
  if (!fits) throw unmatched('their shapes are not those of the model', { parameters, found, where })
  const next = new Map<string, readonly string[]>()
  for (const key of wanted.keys()) {
    const names = groups.get(key)!
    const sorted = names.length === 1 ? names : byNumber(names)
    if (sorted === undefined) {
      const why = `${names.slice(0, 4).map(quoted).join(' and ')} have one shape, and nothing tells which comes first`
      throw unmatched(why, { parameters, found, where })
    }
    next.set(key, sorted)
  }
  return parameters.map((one) => {
    const [name, ...rest] = next.get(keyOf(one))!
    next.set(keyOf(one), rest)
    return name!
  })
}

const keyOf = ({ shape }: Shaped): string => shape.join('x')

/** Names that differ in one number only ("fc1.weight", "fc2.weight"), in its order; undefined for any others. */
function byNumber(names: readonly string[]): string[] | undefined {
  const parts = names.map((name) => name.split(/(\d+)/))
  const first = parts[0]!
  const differ = first.flatMap((_, k) => (parts.every((one) => one[k] === first[k]) ? [] : [k]))
  const [at, ...more] = differ
  if (at === undefined || more.length > 0 || at % 2 === 0) return undefined
  if (parts.some((one) => one.length !== first.length)) return undefined
  const order = names.map((_, i) => i).sort((a, b) => Number(parts[a]![at]) - Number(parts[b]![at]))
  return order.map((i) => names[i]!)
}

interface Sides {
  readonly parameters: readonly ParameterShape[]
  readonly found: ReadonlyMap<string, Shaped>
  readonly where: string
}

function unmatched(why: string, { parameters, found, where }: Sides): OverhearError {
  const listed = (list: readonly (readonly [string, Shaped])[]): string =>
    list
      .slice(0, 12)
      .map(([name, { shape }]) => `${quoted(name)} [${shape.join(', ')}]`)
      .join(', ') + (list.length > 12 ? ', ...' : '')
  const needed = listed(parameters.map((one) => [one.name, one]))
  return new OverhearError(
    'E_INPUT',
    `${where} has the tensors ${listed([...found])}: ${why}`,
    `the model has ${needed}, weights as [out, in]; list the file's names under "parameters" in this order`,
  )
}

const quoted = (name: string): string => harmless(JSON.stringify(name.slice(0, 80)))
