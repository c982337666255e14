import { type Ask, askJson } from './discovery.ts';
import type { OpenApiSchema } from './sources.ts';

/** Every schema of every group and version. */
export async function openApiSchemas(ask: Ask): Promise<Map<string, OpenApiSchema>> {
  const index = await askJson<{ paths: Record<string, { serverRelativeURL: string }> }>(ask, '/openapi/v3');
  const schemas = new Map<string, OpenApiSchema>();
  for (const path of Object.keys(index.paths).sort()) {
    const url = index.paths[path]?.serverRelativeURL;
    if (url === undefined || !/^apis?\/.*v\d/.test(path)) continue;
    const document = await askJson<{ components: { schemas: Record<string, OpenApiSchema> } }>(ask, url);
    for (const [name, schema] of Object.entries(document.components.schemas)) schemas.set(name, schema);
  }
  return schemas;
}
