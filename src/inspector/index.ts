/** The door `tidewatch/inspector`: a page that shows what informers and controllers do. */
export { Inspector, serveInspector } from './inspector.ts';
export type { InspectorOptions } from './inspector-options.ts';
