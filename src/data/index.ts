/** The table of datasets. */
import { lookup } from '../errors.js'
import { cpsWages } from './cps-wages.js'
import type { Source } from './dataset.js'
import type { DatasetEntry, LoadContext } from './definition.js'
import { leafSynthetic } from './leaf-synthetic.js'
import { metaclassSynthetic } from './metaclass-synthetic.js'
import { tinyImages } from './tiny-images.js'
import { toy } from './toy.js'

export const datasets = {
  'cps-wages': cpsWages,
  'toy-least-squares': toy,
  'metaclass-synthetic': metaclassSynthetic,
  'leaf-synthetic': leafSynthetic,
  'tiny-images': tinyImages,
} as const satisfies Record<string, DatasetEntry>

/** Loads a dataset by its name; an unknown name is an error that lists the known. */
export async function loadDataset(
  name: string,
  context: LoadContext,
  params: Readonly<Record<string, unknown>> = {},
): Promise<Source> {
  return lookup<DatasetEntry>(datasets, name, 'dataset').load(context, params)
}
