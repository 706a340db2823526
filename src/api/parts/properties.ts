import { StoredValues } from './stored-values.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { MetadataDatabase } from '../../metadata/database.ts';
import type { DeclaredNames } from '../../metadata/organization/declared-names.ts';
import { hideProperty, listDeclaredProperties, listHiddenProperties, restoreProperty } from '../../metadata/organization/properties.ts';
import { propertyListLimits } from '../../model/vocabulary/limits.ts';
import type { Store } from '../../store/store.ts';

/** Properties of an organisation beside those on record. Changes are durable on return. */
export interface Properties {
  readonly declared: (organizationId: OrganizationId) => Promise<readonly string[]>;
  readonly hidden: (organizationId: OrganizationId) => Promise<readonly string[]>;
  /** @returns false when the organisation hides as many names as it may. */
  readonly hide: (organizationId: OrganizationId, name: string) => Promise<boolean>;
  readonly restore: (organizationId: OrganizationId, name: string) => Promise<void>;
}

interface PropertySources {
  readonly database: MetadataDatabase;
  readonly store: Pick<Store, 'run' | 'rowChanges'>;
  readonly declaredNames: DeclaredNames;
  /** Unix milliseconds. */
  readonly now: () => number;
}

export interface KnownProperties {
  readonly properties: Properties;
  readonly storedValues: StoredValues;
  /** @returns the replaced spelling, if any. */
  readonly declareProperty: (organizationId: OrganizationId, name: string) => Promise<string | undefined>;
}

/** What the API knows of properties: names and values on record, declared and hidden names. */
export function makePropertyPorts({ database, store, declaredNames, now }: PropertySources): KnownProperties {
  return {
    properties: {
      declared: async (organizationId) => (await listDeclaredProperties(database, organizationId)).map(({ name }) => name),
      hidden: (organizationId) => listHiddenProperties(database, organizationId),
      hide: (organizationId, name) => hideProperty(database, { organizationId, name, at: now() }, propertyListLimits.hidden),
      restore: (organizationId, name) => restoreProperty(database, organizationId, name),
    },
    storedValues: new StoredValues({ run: store.run, changes: store.rowChanges, now }),
    declareProperty: (organizationId, name) => declaredNames.declare(organizationId, name),
  };
}
