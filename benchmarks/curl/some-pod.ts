import type { Pod } from '../../src/generated/api/core/v1.ts';

const SUBJECTS = ['orders', 'payments', 'catalog', 'search', 'basket', 'users', 'mail', 'invoices'];

/** A pod of a workload of ten: one to three containers with up to 24 variables each, labels, annotations, probes. */
export function somePod(number: number): Pod {
  const workload = Math.floor(number / 10);
  const name = `${SUBJECTS[workload % SUBJECTS.length]}-${workload}`;
  const containers = Array.from({ length: 1 + (workload % 3) }, (_, i) => ({
    name: `part-${i}`,
    image: `registry.example.com/${name}/part-${i}:1.${workload % 40}.${i}`,
    ports: [{ name: `http-${i}`, containerPort: 8080 + i }],
    env: Array.from({ length: (workload * 7 + i * 5) % 25 }, (_, j) => ({
      name: `SETTING_${j}`,
      value: `value-${workload}-${j}`.repeat(1 + (j % 3)),
    })),
    resources: { requests: { cpu: `${50 + (workload % 20) * 10}m`, memory: '128Mi' }, limits: { memory: '512Mi' } },
    readinessProbe: { httpGet: { path: '/ready', port: `http-${i}` }, periodSeconds: 5 + (workload % 10) },
  }));
  return {
    metadata: {
      name: `${name}-${String(number).padStart(6, '0')}`,
      labels: { app: name, team: `team-${workload % 12}`, version: `1.${workload % 40}` },
      annotations: {
        'example.com/commit': (workload * 2_654_435_761).toString(16),
        'example.com/owner': `owner-${number}`,
      },
    },
    spec: { containers, nodeSelector: { pool: `pool-${workload % 4}` } },
  };
}
