import { queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { gatelog } from '../../lib/client.ts';
import { propertyNamesQuery } from '../../lib/property-names.ts';
import { TextField } from '../../ui/form/text-field.tsx';

export interface ScopeFieldsProps {
  /** Each value of the property, or one. */
  readonly segment: 'property' | 'value';
  readonly property: string;
  readonly value: string;
  readonly propertyFault: string | undefined;
  readonly onProperty: (name: string) => void;
  readonly onValue: (value: string) => void;
}

/** The property whose values a limit counts, and its only value if there is one. What is on record is offered. */
export function ScopeFields({ segment, property, value, propertyFault, onProperty, onValue }: ScopeFieldsProps): ReactNode {
  const { data: names = [] } = useQuery(propertyNamesQuery);
  const known = names.find((name) => name.toLowerCase() === property.trim().toLowerCase());
  const { data: values = [] } = useQuery(valuesQuery(segment === 'value' ? known : undefined));
  const isUnknown = property.trim() !== '' && names.length > 0 && known === undefined;
  return (
    <>
      <TextField
        label="Property"
        value={property}
        onChange={onProperty}
        fault={propertyFault}
        about={isUnknown ? 'No request has this property yet.' : undefined}
        placeholder="Team"
        list="limit-properties"
        isRequired
      />
      <Offered id="limit-properties" texts={names} />
      {segment === 'value' && (
        <>
          <TextField label="Value" value={value} onChange={onValue} placeholder="search" list="limit-values" isRequired />
          <Offered id="limit-values" texts={values} />
        </>
      )}
    </>
  );
}

function valuesQuery(name: string | undefined) {
  return queryOptions({
    queryKey: ['property values', name],
    queryFn: name === undefined ? skipToken : async ({ signal }) => (await gatelog.properties.search(name, '', { signal })).data,
  });
}

function Offered({ id, texts }: { readonly id: string; readonly texts: readonly string[] }): ReactNode {
  return (
    <datalist id={id}>
      {texts.map((text) => (
        <option key={text}>{text}</option>
      ))}
    </datalist>
  );
}
