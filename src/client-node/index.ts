export { type ClientNodeClass, fromClientNode, toClientNode } from './client-node.ts';
