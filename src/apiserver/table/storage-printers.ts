import { asObject, getKey, getPath, type JsonObject, type JsonValue } from '../values/json.ts';
import { flag, isSet, list, quantity, someOf, strings, text } from './cell-text.ts';
import { ageColumn, nameColumn, nameColumnOf } from './common-columns.ts';
import { column, type PrintedColumn, printer, type TablePrinter } from './table-printer.ts';

const persistentVolumes = printer([
  nameColumn,
  column('Capacity', (object) => storageOf(getPath(object, 'spec', 'capacity')), { description: 'Its size.' }),
  column('Access Modes', (object) => accessModes(object, 'spec'), { description: 'How it may be mounted.' }),
  column('Reclaim Policy', (object) => text(object, 'spec', 'persistentVolumeReclaimPolicy'), {
    description: 'What happens to it when its claim is gone.',
  }),
  column('Status', phase, { description: 'Whether it is available, bound, released or failed.' }),
  column('Claim', claimOf, { description: 'The claim that it is bound to.' }),
  column('StorageClass', storageClass, { description: 'Its storage class.' }),
  volumeAttributesClassColumn(),
  column('Reason', (object) => text(object, 'status', 'reason'), { description: 'Why it is as it is.' }),
  ageColumn,
  volumeModeColumn(),
]);

const persistentVolumeClaims = printer([
  nameColumn,
  column('Status', phase, { description: 'Whether it is pending, bound or lost.' }),
  column('Volume', (object) => text(object, 'spec', 'volumeName'), { description: 'The volume that it is bound to.' }),
  column('Capacity', (object) => (isBound(object) ? storageOf(getPath(object, 'status', 'capacity')) : ''), {
    description: 'The size of the volume.',
  }),
  column('Access Modes', (object) => (isBound(object) ? accessModes(object, 'status') : ''), {
    description: 'How the volume may be mounted.',
  }),
  column('StorageClass', storageClass, { description: 'Its storage class.' }),
  volumeAttributesClassColumn(),
  ageColumn,
  volumeModeColumn(),
]);

function volumeAttributesClassColumn(): PrintedColumn {
  return column('VolumeAttributesClass', (object) => orUnset(getPath(object, 'spec', 'volumeAttributesClassName')), {
    description: 'Its volume attributes class.',
  });
}

function volumeModeColumn(): PrintedColumn {
  return column('VolumeMode', (object) => orUnset(getPath(object, 'spec', 'volumeMode')), {
    wide: true,
    description: 'Filesystem or Block.',
  });
}

function orUnset(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '<unset>';
}

function phase(object: JsonObject): string {
  return isSet(object, 'metadata', 'deletionTimestamp') ? 'Terminating' : text(object, 'status', 'phase');
}

function isBound(claim: JsonObject): boolean {
  return text(claim, 'spec', 'volumeName') !== '';
}

function storageOf(resources: JsonValue | undefined): string {
  return quantity(getPath(resources, 'storage'));
}

const MODES = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
] as const;

function accessModes(object: JsonObject, part: 'spec' | 'status'): string {
  const present = strings(object, part, 'accessModes');
  return MODES.filter(([mode]) => present.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

function storageClass(object: JsonObject): string {
  const annotations = asObject(getPath(object, 'metadata', 'annotations'));
  const annotated = getKey(annotations, 'volume.beta.kubernetes.io/storage-class');
  return typeof annotated === 'string' ? annotated : text(object, 'spec', 'storageClassName');
}

function claimOf(object: JsonObject): string {
  const claim = getPath(object, 'spec', 'claimRef');
  return isSet(claim) ? `${text(claim, 'namespace')}/${text(claim, 'name')}` : '';
}

const storageClasses = printer([
  nameColumnOf((object) => {
    const annotations = asObject(getPath(object, 'metadata', 'annotations'));
    const isDefault = ['storageclass.kubernetes.io', 'storageclass.beta.kubernetes.io'].some(
      (prefix) => getKey(annotations, `${prefix}/is-default-class`) === 'true',
    );
    return isDefault ? `${text(object, 'metadata', 'name')} (default)` : text(object, 'metadata', 'name');
  }),
  column('Provisioner', (object) => text(object, 'provisioner'), { description: 'Who makes the volumes.' }),
  column('ReclaimPolicy', (object) => text(object, 'reclaimPolicy') || 'Delete', {
    description: 'What happens to a volume when its claim is gone.',
  }),
  column('VolumeBindingMode', (object) => text(object, 'volumeBindingMode') || 'Immediate', {
    description: 'When a volume is made.',
  }),
  column('AllowVolumeExpansion', (object) => flag(object, 'allowVolumeExpansion'), {
    description: 'Whether volumes may grow.',
  }),
  ageColumn,
]);

const volumeAttributesClasses = printer([
  nameColumn,
  column('DriverName', (object) => text(object, 'driverName'), { description: 'The CSI driver.' }),
  ageColumn,
]);

const volumeAttachments = printer([
  nameColumn,
  column('Attacher', (object) => text(object, 'spec', 'attacher'), {
    format: 'name',
    description: 'The driver that attaches it.',
  }),
  column('PV', (object) => text(object, 'spec', 'source', 'persistentVolumeName'), { description: 'The volume.' }),
  column('Node', (object) => text(object, 'spec', 'nodeName'), { description: 'The node.' }),
  column('Attached', (object) => flag(object, 'status', 'attached'), {
    type: 'boolean',
    description: 'Whether it is attached.',
  }),
  ageColumn,
]);

const csiNodes = printer([
  nameColumn,
  column('Drivers', (object) => list(object, 'spec', 'drivers').length, {
    type: 'integer',
    description: 'How many CSI drivers the node has.',
  }),
  ageColumn,
]);

function driverFlag(name: string, field: string, absent: boolean, description: string): PrintedColumn {
  return column(name, (object) => (isSet(object, 'spec', field) ? flag(object, 'spec', field) : absent), {
    type: 'boolean',
    description,
  });
}

const csiDrivers = printer([
  nameColumn,
  driverFlag('AttachRequired', 'attachRequired', true, 'Whether volumes must be attached first.'),
  driverFlag('PodInfoOnMount', 'podInfoOnMount', false, 'Whether a mount is told about its pod.'),
  driverFlag('StorageCapacity', 'storageCapacity', false, 'Whether the driver reports its capacity.'),
  column(
    'TokenRequests',
    (object) =>
      isSet(object, 'spec', 'tokenRequests')
        ? list(object, 'spec', 'tokenRequests')
            .map((request) => text(request, 'audience'))
            .join(',')
        : '<unset>',
    { description: 'The audiences of the tokens that it needs.' },
  ),
  driverFlag('RequiresRepublish', 'requiresRepublish', false, 'Whether mounts are refreshed from time to time.'),
  column('Modes', (object) => strings(object, 'spec', 'volumeLifecycleModes').join(',') || '<none>', {
    description: 'The kinds of volumes it offers.',
  }),
  ageColumn,
]);

const storageVersions = printer([
  nameColumn,
  column('CommonEncodingVersion', (object) => orUnset(getPath(object, 'status', 'commonEncodingVersion')), {
    description: 'The version that all servers write.',
  }),
  column(
    'StorageVersions',
    (object) =>
      someOf(
        list(object, 'status', 'storageVersions').map(
          (version) => `${text(version, 'apiServerID')}=${text(version, 'encodingVersion')}`,
        ),
        3,
      ),
    { description: 'The version that each server writes.' },
  ),
  ageColumn,
]);

const storageVersionMigrations = printer([
  { ...nameColumn, column: { ...nameColumn.column, format: '' } },
  column(
    'Resource',
    (object) => {
      const group = text(object, 'spec', 'resource', 'group');
      const resource = text(object, 'spec', 'resource', 'resource');
      return group === '' ? resource : `${resource}.${group}`;
    },
    { description: 'The resource to migrate.' },
  ),
  column('Status', migrationStatus, { description: 'How the migration is.' }),
]);

function migrationStatus(object: JsonObject): string {
  const condition = list(object, 'status', 'conditions').findLast(
    ({ type, status }) => status === 'True' && ['Running', 'Failed', 'Succeeded'].includes(String(type)),
  );
  return condition === undefined ? 'Unknown' : text(condition, 'type');
}

export const storagePrinters: Readonly<Record<string, TablePrinter>> = {
  PersistentVolume: persistentVolumes,
  PersistentVolumeClaim: persistentVolumeClaims,
  'StorageClass.storage.k8s.io': storageClasses,
  'VolumeAttributesClass.storage.k8s.io': volumeAttributesClasses,
  'VolumeAttachment.storage.k8s.io': volumeAttachments,
  'CSINode.storage.k8s.io': csiNodes,
  'CSIDriver.storage.k8s.io': csiDrivers,
  'StorageVersion.internal.apiserver.k8s.io': storageVersions,
  'StorageVersionMigration.storagemigration.k8s.io': storageVersionMigrations,
};
