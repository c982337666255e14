const KUBE_VERSION = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/;
const STAGES = ['alpha', 'beta', undefined];

/**
 * Orders versions as discovery does, by descending preference when sorted: v10, v2, v1, v11beta2, v10beta3, v3alpha1, and
 * those of another form last, by name.
 */
export function compareVersions(a: string, b: string): number {
  const first = KUBE_VERSION.exec(a);
  const second = KUBE_VERSION.exec(b);
  if (first === null || second === null) {
    if (first !== null) return -1;
    if (second !== null) return 1;
    return a === b ? 0 : a < b ? -1 : 1;
  }
  const [, major, stage, minor] = first;
  const [, otherMajor, otherStage, otherMinor] = second;
  return (
    STAGES.indexOf(otherStage) - STAGES.indexOf(stage) ||
    Number(otherMajor) - Number(major) ||
    Number(otherMinor ?? 0) - Number(minor ?? 0)
  );
}
