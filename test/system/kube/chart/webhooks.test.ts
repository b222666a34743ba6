import { expect, test } from 'vitest';
import { webhookEdgeOf } from '#controller/cluster/objects/webhook-edge.js';
import { env } from '#runtime/transport/settings/env.js';
import { describeKube } from '../support/api-server.ts';
import { only, type Rendered, render } from './render.ts';

const controllerOf = (objects: readonly Rendered[]) =>
  only(objects, 'Deployment', '-controller').spec.template.spec.containers[0];
const settingOf = (objects: readonly Rendered[]): string | undefined =>
  controllerOf(objects).env.find((each: Rendered) => each.name === 'AIP_CONTROLLER_WEBHOOKS')?.value;
const resourcesOf = (objects: readonly Rendered[]): string[] =>
  objects
    .filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role')
    .flatMap(({ rules }) => rules.flatMap((rule: Rendered) => rule.resources));

describeKube('the values for webhooks', () => {
  test('without them the controller makes no routes and has no rights to', async () => {
    const objects = await render({ example: 'production.yaml' });
    expect(settingOf(objects)).toBeUndefined();
    for (const kind of ['ingresses', 'httproutes', 'backendtlspolicies'])
      expect(resourcesOf(objects)).not.toContain(kind);
  });

  test('the controller reads them as they are written, and may make what they request', async () => {
    const objects = await render({
      example: 'production.yaml',
      set: {
        'webhooks.host': 'hooks.example.com',
        'webhooks.ingress.enabled': true,
        'webhooks.ingress.className': 'nginx',
        'webhooks.ingress.annotations': { 'nginx.ingress.kubernetes.io/backend-protocol': 'HTTPS' },
        'webhooks.httpRoute.enabled': true,
        'webhooks.httpRoute.parentRefs': [{ name: 'edge', namespace: 'gateways' }],
        'webhooks.from': [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } }],
      },
    });
    expect(webhookEdgeOf(env('AIP_CONTROLLER_', { AIP_CONTROLLER_WEBHOOKS: settingOf(objects) }, 'test'))).toEqual({
      host: 'hooks.example.com',
      ingress: {
        className: 'nginx',
        annotations: { 'nginx.ingress.kubernetes.io/backend-protocol': 'HTTPS' },
        tlsSecret: '',
      },
      httpRoute: { parentRefs: [{ name: 'edge', namespace: 'gateways' }], annotations: {} },
      from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } }],
    });
    for (const kind of ['ingresses', 'httproutes', 'backendtlspolicies']) expect(resourcesOf(objects)).toContain(kind);
  });
});
