/** The table of datasets. */
import { find, table } from '../registry.js'
import { acsIncome } from './acs-income.js'
import { adult } from './adult.js'
import { cpsWages } from './cps-wages.js'
import type { Source } from './dataset.js'
import type { DatasetEntry, LoadContext } from './dataset-entry.js'
import { cifar10, fashionMnist, mnist } from './images.js'
import { leafSynthetic } from './leaf-synthetic.js'
import { medical } from './medical.js'
import { metaclassSynthetic } from './metaclass-synthetic.js'
import { csv, parquet } from './own-table.js'
import { salary } from './salary.js'
import { tinyImages } from './tiny-images.js'
import { toy } from './toy.js'

export const datasets = table('dataset', [
  cpsWages,
  toy,
  metaclassSynthetic,
  leafSynthetic,
  tinyImages,
  medical,
  salary,
  adult,
  acsIncome,
  mnist,
  fashionMnist,
  cifar10,
  csv,
  parquet,
])

/** Loads a dataset by its name; an unknown name is an error that lists the known. */
export async function loadDataset(
  name: string,
  context: LoadContext,
  params: Readonly<Record<string, unknown>> = {},
): Promise<Source> {
  return find<DatasetEntry>(datasets, name).load(context, params)
}
