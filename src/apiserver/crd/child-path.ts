/** Field paths in the notation of apimachinery's `field.Path`: `spec.versions[0].schema.properties[a.b]`. */
export function childPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

export function indexPath(path: string, index: number): string {
  return `${path}[${index}]`;
}

export function keyPath(path: string, key: string): string {
  return `${path}[${key}]`;
}
