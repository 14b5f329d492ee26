import { expect, test } from 'vitest'
import { type Workload, workloads } from './bench-workloads.js'

const all: Readonly<Record<string, Workload>> = workloads

/** Operations as they are counted by hand, and the numbers that three repetitions have to come to. */
const kept: Readonly<Record<string, readonly [flops: number | null, numbers: readonly number[]]>> = {
  mlp: [696320, [0.016495061602432526, -0.03973961380233959]],
  'mlp-sparse': [221184, [0.00754102804716807, -0.0044775672986361315]],
  linear: [2560, [0.017422674807719876, -0.0016049036057665944]],
  'lenet-mnist': [14190000, [0.00924972271392083, -0.0791085030487011]],
  'lenet-cifar': [48888000, [0.0071538918671845775, -0.08171002312002429]],
  mapping: [26240000, [0.796380915764012, 7.301584132587607]],
  logistic: [2795520, [0.13788067951992858, 0.09264713316810003]],
  'dp-sgd': [696320, [0.0048158568594301645, -0.019523281306646822]],
  'second-order': [10240000, [0.005005075635042468, 0.16096264890544631]],
  'svd-12': [null, [6.7690710061901935, 3.3555026057118384, 0.2439857703519485]],
  'svd-300x50': [null, [70.40568129264399, 13.773748416104619, 5.851300811785219]],
  'lstsq-300x42': [1009008, [0.3691005958303468, 0.2519874127086462]],
}

test.each(Object.keys(all).filter((name) => name !== 'svd-1000' && name !== 'federated-run'))('%s', async (name) => {
  const { flops, prepare } = all[name]!
  expect([flops, await prepare().numbers()]).toEqual(kept[name])
})

test('a federated run is a thousand turns of forty steps of the small network', () => {
  expect(workloads['federated-run'].flops).toBe(10 * 100 * 40 * workloads.mlp.flops)
})
