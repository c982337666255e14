import { metaNamespaceKey } from '../../api/key.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import { safeJson, safeText } from '../terminal/safe-text.ts';

export type EventType = 'ADD' | 'UPDATE' | 'DELETE';

/** An event as one line, with its line break. */
export type ObjectLine = (type: EventType, object: KubernetesObject, finalStateUnknown?: boolean) => string;

/** `ADD default/web-0 1234`. */
export const eventLine: ObjectLine = (type, object) =>
  `${type} ${safeText(metaNamespaceKey(object))} ${safeText(object.metadata?.resourceVersion ?? '')}\n`;

/** `ADD pod default/web-0 1234`, where several types come together. */
export function typedEventLine(typeName: string): ObjectLine {
  return (type, object) => eventLine(type, object).replace(' ', ` ${typeName} `);
}

/** `{"type":"ADD","key":"default/web-0","resourceVersion":"1234","object":{…}}`. */
export const jsonLine: ObjectLine = (type, object, finalStateUnknown) => {
  const event = {
    type,
    key: metaNamespaceKey(object),
    resourceVersion: object.metadata?.resourceVersion ?? '',
    ...(finalStateUnknown && { finalStateUnknown }),
    object,
  };
  return `${safeJson(JSON.stringify(event))}\n`;
};

/** `pod/web-0`, as kubectl prints it. */
export function nameLine(typeName: string): ObjectLine {
  return (_type, object) => `${typeName}/${safeText(object.metadata?.name ?? '')}\n`;
}
