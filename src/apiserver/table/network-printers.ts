import { getPath, type JsonObject, type JsonValue } from '../values/json.ts';
import { age, count, isSet, labelsText, list, selectorOrNone, someOf, strings, text } from './cell-text.ts';
import { ageColumn, nameColumn, nameColumnOf } from './common-columns.ts';
import { column, printer, type TablePrinter } from './table-printer.ts';

const services = printer([
  nameColumn,
  column('Type', (object) => text(object, 'spec', 'type'), { description: 'How the service is reached.' }),
  column('Cluster-IP', (object) => strings(object, 'spec', 'clusterIPs')[0] ?? '<none>', {
    description: 'Its address inside the cluster.',
  }),
  column('External-IP', externalIp, { description: 'Its addresses outside the cluster.' }),
  column('Port(s)', servicePorts, { description: 'The ports it serves.' }),
  ageColumn,
  column('Selector', (object) => labelsText(getPath(object, 'spec', 'selector')), {
    wide: true,
    description: 'Which pods stand behind it.',
  }),
]);

function externalIp(service: JsonObject): string {
  const external = strings(service, 'spec', 'externalIPs');
  switch (text(service, 'spec', 'type')) {
    case 'ClusterIP':
    case 'NodePort':
      return external.join(',') || '<none>';
    case 'LoadBalancer': {
      const balanced = loadBalancerAddresses(service);
      return [...(balanced === '' ? [] : [balanced]), ...external].join(',') || '<pending>';
    }
    case 'ExternalName':
      return text(service, 'spec', 'externalName');
    default:
      return '<unknown>';
  }
}

function loadBalancerAddresses(object: JsonObject): string {
  const addresses = list(object, 'status', 'loadBalancer', 'ingress').map(
    (ingress) => text(ingress, 'ip') || text(ingress, 'hostname'),
  );
  return [...new Set(addresses.filter((address) => address !== ''))].sort().join(',');
}

function servicePorts(service: JsonObject): string {
  const ports = list(service, 'spec', 'ports').map((port) => {
    const nodePort = count(port, 'nodePort');
    const number = nodePort > 0 ? `${count(port, 'port')}:${nodePort}` : `${count(port, 'port')}`;
    return `${number}/${text(port, 'protocol')}`;
  });
  return ports.join(',') || '<none>';
}

const endpoints = printer([
  nameColumn,
  column('Endpoints', endpointsText, { description: 'The first addresses, and how many more there are.' }),
  ageColumn,
]);

const MOST_SHOWN = 3;

function endpointsText(object: JsonObject): string {
  const subsets = list(object, 'subsets');
  if (subsets.length === 0) return '<none>';
  const addresses: string[] = [];
  for (const subset of subsets) {
    const ips = list(subset, 'addresses').map((address) => text(address, 'ip'));
    const ports = list(subset, 'ports');
    if (ports.length === 0) addresses.push(...ips);
    for (const port of ports) addresses.push(...ips.map((ip) => hostPort(ip, count(port, 'port'))));
  }
  return addresses.length === 0 ? '' : someOf(addresses, MOST_SHOWN);
}

function hostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

const endpointSlices = printer([
  nameColumn,
  column('AddressType', (object) => text(object, 'addressType'), { description: 'IPv4, IPv6 or FQDN.' }),
  column('Ports', (object) => someOf(list(object, 'ports').map(endpointPort), MOST_SHOWN), {
    description: 'The ports of every endpoint.',
  }),
  column(
    'Endpoints',
    (object) =>
      someOf(
        list(object, 'endpoints').flatMap((endpoint) => strings(endpoint, 'addresses')),
        MOST_SHOWN,
      ),
    { description: 'The first addresses, and how many more there are.' },
  ),
  ageColumn,
]);

function endpointPort(port: JsonObject): string {
  if (isSet(port, 'port')) return `${count(port, 'port')}`;
  return isSet(port, 'name') ? text(port, 'name') : '*';
}

const ingresses = printer([
  nameColumn,
  column('Class', (object) => orNone(getPath(object, 'spec', 'ingressClassName')), {
    description: 'The IngressClass that serves it.',
  }),
  column('Hosts', ingressHosts, { description: 'The hosts of its rules.' }),
  column('Address', loadBalancerAddresses, { description: 'Where the load balancer listens.' }),
  column('Ports', (object) => (list(object, 'spec', 'tls').length > 0 ? '80, 443' : '80'), {
    description: 'The ports that are open.',
  }),
  ageColumn,
]);

function ingressHosts(ingress: JsonObject): string {
  const rules = list(ingress, 'spec', 'rules');
  const hosts: string[] = [];
  let more = false;
  for (const rule of rules) {
    if (hosts.length === MOST_SHOWN) more = true;
    const host = text(rule, 'host');
    if (!more && host !== '') hosts.push(host);
  }
  if (hosts.length === 0) return '*';
  return more ? `${hosts.join(',')} + ${rules.length - MOST_SHOWN} more...` : hosts.join(',');
}

const ingressClasses = printer([
  nameColumnOf((object) => {
    const isDefault = text(object, 'metadata', 'annotations', 'ingressclass.kubernetes.io/is-default-class') === 'true';
    return isDefault ? `${text(object, 'metadata', 'name')} (default)` : text(object, 'metadata', 'name');
  }),
  column('Controller', (object) => text(object, 'spec', 'controller'), { description: 'Who serves the class.' }),
  column('Parameters', ingressParameters, { description: 'The object with further settings.' }),
  ageColumn,
]);

function ingressParameters(object: JsonObject): string {
  const parameters = getPath(object, 'spec', 'parameters');
  if (!isSet(parameters)) return '<none>';
  const kind = text(parameters, 'kind');
  const group = isSet(parameters, 'apiGroup') ? `.${text(parameters, 'apiGroup')}` : '';
  return `${kind}${group}/${text(parameters, 'name')}`;
}

const networkPolicies = printer([
  nameColumn,
  column('Pod-Selector', (object) => selectorOrNone(getPath(object, 'spec', 'podSelector')), {
    description: 'Which pods it applies to.',
  }),
  ageColumn,
]);

const serviceCidrs = printer([
  nameColumn,
  column('CIDRs', (object) => strings(object, 'spec', 'cidrs').join(','), { description: 'The address ranges.' }),
  ageColumn,
]);

/** The real server gives each row an age that no heading announces. */
const ipAddresses: TablePrinter = (() => {
  const listed = printer([
    nameColumn,
    column('ParentRef', parentReference, { description: 'The object that uses the address.' }),
  ]);
  return { ...listed, cells: (object, nowMs) => [...listed.cells(object, nowMs), age(object, nowMs)] };
})();

function parentReference(object: JsonObject): string {
  const parent = getPath(object, 'spec', 'parentRef');
  if (!isSet(parent)) return '<none>';
  const group = text(parent, 'group');
  const resource = group === '' ? text(parent, 'resource') : `${text(parent, 'resource')}.${group}`;
  const namespace = text(parent, 'namespace');
  return `${resource.toLowerCase()}${namespace === '' ? '' : `/${namespace}`}/${text(parent, 'name')}`;
}

function orNone(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '<none>';
}

export const networkPrinters: Readonly<Record<string, TablePrinter>> = {
  Service: services,
  Endpoints: endpoints,
  'EndpointSlice.discovery.k8s.io': endpointSlices,
  'Ingress.networking.k8s.io': ingresses,
  'IngressClass.networking.k8s.io': ingressClasses,
  'NetworkPolicy.networking.k8s.io': networkPolicies,
  'ServiceCIDR.networking.k8s.io': serviceCidrs,
  'IPAddress.networking.k8s.io': ipAddresses,
};
