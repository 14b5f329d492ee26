import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'

const folder = new URL('../docs/kubernetes/', import.meta.url)

interface Pod {
  readonly metadata: { readonly labels: Record<string, string> }
  readonly spec: {
    readonly restartPolicy?: string
    readonly containers: readonly {
      readonly name: string
      readonly image: string
      readonly args: readonly string[]
      readonly env?: readonly {
        readonly name: string
        readonly value?: string
        readonly valueFrom?: { secretKeyRef: object }
      }[]
      readonly resources: { readonly requests: object; readonly limits: { readonly memory: string } }
      readonly volumeMounts?: readonly { readonly name: string }[]
    }[]
    readonly volumes?: readonly { readonly name: string }[]
  }
}

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly selector?: { readonly matchLabels?: Record<string, string> } & Record<string, unknown>
    readonly template?: Pod
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[]
    readonly ports?: readonly { readonly port: number }[]
  }
}

const manifests = readdirSync(folder).flatMap((file) =>
  parseAllDocuments(readFileSync(new URL(file, folder), 'utf8')).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS() as Manifest
  }),
)
const known: Readonly<Record<string, string>> = {
  Service: 'v1',
  PersistentVolumeClaim: 'v1',
  StatefulSet: 'apps/v1',
  Deployment: 'apps/v1',
  Job: 'batch/v1',
}
const withPods = manifests.flatMap((one) =>
  one.spec.template === undefined ? [] : [{ ...one, pod: one.spec.template }],
)

describe('the manifests of docs/kubernetes', () => {
  test('are of kinds and versions that there are', () => {
    expect(manifests.map(({ kind, apiVersion }) => [kind, apiVersion])).toEqual(
      manifests.map(({ kind }) => [kind, known[kind]]),
    )
    expect(withPods).toHaveLength(3)
  })

  test.each(withPods)(
    '$kind $metadata.name selects its own pods, whose volumes and secrets are named',
    ({ spec, pod }) => {
      if (spec.selector !== undefined) expect(pod.metadata.labels).toMatchObject(spec.selector.matchLabels!)
      const volumes = [
        ...(pod.spec.volumes ?? []),
        ...(spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata),
      ]
      for (const { volumeMounts = [], env = [], args, image, resources } of pod.spec.containers) {
        for (const { name } of volumeMounts) expect(volumes.map((one) => one.name)).toContain(name)
        // A password stands in no manifest.
        for (const one of env) expect([one.value, one.valueFrom?.secretKeyRef]).toEqual([undefined, expect.any(Object)])
        expect(args.every((arg) => typeof arg === 'string')).toBe(true)
        expect(image).toMatch(/:[\d.]+$/)
        expect(resources.limits.memory).toMatch(/^\d+[GM]i$/)
      }
    },
  )

  test('lead workers and the coordinator to the service', () => {
    const service = manifests.find(({ kind }) => kind === 'Service')!
    const server = withPods.find(({ kind }) => kind === 'StatefulSet')!
    expect(server.pod.metadata.labels).toMatchObject(service.spec.selector!)
    const page = readFileSync(new URL('../sweeps-kubernetes.md', folder), 'utf8')
    expect(page).toContain(`@${service.metadata.name}:${service.spec.ports![0]!.port}`)
    const commands = withPods
      .filter(({ kind }) => kind !== 'StatefulSet')
      .map(({ pod }) => pod.spec.containers[0]!.args[0])
    expect(commands.sort()).toEqual(['sweep', 'worker'])
  })
})
