/** The image datasets: MNIST, Fashion-MNIST (idx files) and CIFAR-10 (binary records). */
import { OverhearError } from '../errors.js'
import { choice } from '../params.js'
import { checkedSource, type Source } from './dataset.js'
import { defineDataset, type FileSpec, readerOf } from './dataset-entry.js'
import { readIdx } from './idx.js'
import { tableOf, wordColumn } from './table.js'

const splitParam = choice({ default: 'train', choices: ['train', 'test'], doc: 'training or test images' })
const scaleParam = choice({
  default: 'standardise',
  choices: ['unit', 'standardise'],
  doc: 'brightness from 0 to 1, or each channel to mean 0 and deviation 1',
})

interface Pictures {
  readonly name: string
  readonly classes: readonly string[]
  readonly labels: Uint8Array
  readonly bytes: Uint8Array
  readonly shape: readonly [number, number, number]
  readonly scale: 'unit' | 'standardise'
}

function imageSource({ name, classes, labels, bytes, shape, scale }: Pictures): Source {
  const words = Array.from(labels, (c, i) => {
    const word = classes[c]
    if (word !== undefined) return word
    throw new OverhearError(
      'E_INPUT',
      `dataset "${name}": image ${i} has class ${c}`,
      `known: 0 to ${classes.length - 1}`,
    )
  })
  return checkedSource({
    name,
    task: 'classification',
    table: tableOf([wordColumn('class', words)]),
    rules: [],
    pixels: { bytes, shape, scale },
    label: { column: 'class', encode: 'codes', levels: classes },
    sensitive: [],
  })
}

interface IdxDataset<I extends string> {
  readonly id: I
  readonly title: string
  readonly predicts: string
  readonly obtain: string
  readonly classes: readonly string[]
  /** sha256 of train images, train labels, test images, test labels. */
  readonly sums: readonly [string, string, string, string]
}

function idxDataset<const I extends string>({ id, title, predicts, obtain, classes, sums }: IdxDataset<I>) {
  const file = (part: string, which: 'images' | 'labels', sha256: string): FileSpec => ({
    path: `${id}/${part}-${which}-idx${which === 'images' ? 3 : 1}-ubyte.gz`,
    sha256,
    content: `${which} of ${part === 'train' ? '60,000' : '10,000'} pictures of 28 x 28`,
  })
  const train = { images: file('train', 'images', sums[0]), labels: file('train', 'labels', sums[1]) }
  const test = { images: file('t10k', 'images', sums[2]), labels: file('t10k', 'labels', sums[3]) }
  return defineDataset({
    id,
    title,
    origin: 'files',
    tasks: ['classification'],
    predicts,
    sensitive: [],
    files: [train.images, train.labels, test.images, test.labels],
    obtain,
    params: { split: splitParam, scale: scaleParam },
    load: async (context, { split, scale }) => {
      const reader = readerOf(context, id)
      const { images, labels } = split === 'train' ? train : test
      const pictures = readIdx(await reader.bytes(images), images.path)
      const answers = readIdx(await reader.bytes(labels), labels.path)
      const [n, height, width] = pictures.shape
      if (pictures.shape.length !== 3 || answers.shape.length !== 1 || answers.shape[0] !== n) {
        const found = `dataset "${id}": ${pictures.shape.join(' x ')} pictures, ${answers.shape.join(' x ')} labels`
        throw new OverhearError('E_SHAPE', found, 'one label a picture is needed')
      }
      const shape = [1, height!, width!] as const
      return imageSource({ name: id, classes, labels: answers.bytes, bytes: pictures.bytes, shape, scale })
    },
  })
}

export const mnist = idxDataset({
  id: 'mnist',
  title: 'MNIST: 70,000 handwritten digits of 28 x 28',
  predicts: 'the digit',
  obtain: 'the MNIST database of LeCun and Cortes (CC BY-SA 3.0)',
  classes: [...'0123456789'],
  sums: [
    '0b367032e93c5d0cea0925647cfdb18614af8ee15f83e6f2fc2ad904a6835971',
    '1787548bbe0bff1ec2ecdc0ef292b02df999e2d1a6002d27500982c652b17203',
    '1a1a05eab793c14bb050b398624a11b0ffd1a2953baed553b1b9bd079e2a20be',
    'b91679a0acfe4ba0e50a2437a903084cba1f5f92592b016a25a7dfd00455798b',
  ],
})

export const fashionMnist = idxDataset({
  id: 'fashion-mnist',
  title: 'Fashion-MNIST: 70,000 pictures of clothes of 28 x 28',
  predicts: 'the kind of garment',
  obtain: 'the repository zalandoresearch/fashion-mnist on GitHub, data/fashion (MIT)',
  classes: ['t-shirt', 'trouser', 'pullover', 'dress', 'coat', 'sandal', 'shirt', 'sneaker', 'bag', 'ankle boot'],
  sums: [
    '3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84',
    'a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845',
    '346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073',
    '67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5',
  ],
})

const batch = (path: string, sha256: string): FileSpec => ({
  path: `cifar10/${path}`,
  sha256,
  content: '10,000 records: a class byte, then 3 x 32 x 32 bytes of red, green, blue',
})
const trainBatch = batch('data_batch_1.bin.gz', 'f27c826404183bf6fd3823fb45744b4f7fd83201dfa6253c32e8d2f8e60e8f1b')
const testBatch = batch('test_batch.bin.gz', '27ae0e1ce42c156c20a7e87f67dc90a50876ca6a755a60c608fc646a4ec4b937')
const RECORD = 1 + 3 * 32 * 32

export const cifar10 = defineDataset({
  id: 'cifar10',
  title: 'CIFAR-10: 20,000 colour photographs of 32 x 32 (first training batch and test batch)',
  origin: 'files',
  tasks: ['classification'],
  predicts: 'what the photograph shows',
  sensitive: [],
  files: [trainBatch, testBatch],
  obtain: "Krizhevsky's page at the University of Toronto, binary version, gzipped batch by batch",
  params: { split: splitParam, scale: scaleParam },
  load: async (context, { split, scale }) => {
    const file = split === 'train' ? trainBatch : testBatch
    const records = await readerOf(context, 'cifar10').bytes(file)
    if (records.length === 0 || records.length % RECORD !== 0) {
      throw new OverhearError(
        'E_SHAPE',
        `${file.path}: ${records.length} bytes`,
        `records of ${RECORD} bytes are needed`,
      )
    }
    const n = records.length / RECORD
    const labels = Uint8Array.from({ length: n }, (_, i) => records[i * RECORD]!)
    const bytes = new Uint8Array(n * (RECORD - 1))
    for (let i = 0; i < n; i++) bytes.set(records.subarray(i * RECORD + 1, (i + 1) * RECORD), i * (RECORD - 1))
    const classes = ['airplane', 'automobile', 'bird', 'cat', 'deer', 'dog', 'frog', 'horse', 'ship', 'truck']
    return imageSource({ name: 'cifar10', classes, labels, bytes, shape: [3, 32, 32], scale })
  },
})
