import { StoredValues } from '../page/stored-values.ts';
import type { ApiPorts } from '../ports.ts';
import type { MetadataDatabase } from '../../metadata/database.ts';
import type { DeclaredNames } from '../../metadata/organization/declared-names.ts';
import { hideProperty, listDeclaredProperties, listHiddenProperties, restoreProperty } from '../../metadata/organization/properties.ts';
import { propertyListLimits } from '../../model/vocabulary/limits.ts';
import type { Store } from '../../store/store.ts';

interface PropertyParts {
  readonly database: MetadataDatabase;
  readonly store: Pick<Store, 'run' | 'rowChanges'>;
  readonly declaredNames: DeclaredNames;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** What the API knows of properties: names and values on record, declared and hidden names. */
export function makePropertyPorts({
  database,
  store,
  declaredNames,
  now,
}: PropertyParts): Pick<ApiPorts, 'properties' | 'storedValues' | 'declareProperty'> {
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
