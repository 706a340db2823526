import { queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { gatelog } from '../../lib/client.ts';
import { valueOnRecordQuery } from '../../lib/on-record.ts';
import { propertyNamesQuery } from '../../lib/property-names.ts';
import { useSettled } from '../../lib/use-settled.ts';
import { TextField } from '../../ui/form/text-field.tsx';
import { propertyHint, type ScopeHint, valueHint } from './scope-hints.ts';
import { InlineButton } from '../../ui/inline-button.tsx';

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
  const { data: onRecord } = useQuery(valueOnRecordQuery(segment === 'value' ? known : undefined, useSettled(value)));
  return (
    <>
      <TextField
        label="Property"
        value={property}
        onChange={onProperty}
        fault={propertyFault}
        about={aboutOf(propertyHint(property, names), onProperty)}
        placeholder="Team"
        list="limit-properties"
        isRequired
      />
      <Offered id="limit-properties" texts={names} />
      {segment === 'value' && (
        <>
          <TextField
            label="Value"
            value={value}
            onChange={onValue}
            about={value === '' ? undefined : aboutOf(valueHint(onRecord), onValue)}
            placeholder="search"
            list="limit-values"
            isRequired
          />
          <Offered id="limit-values" texts={values} />
        </>
      )}
    </>
  );
}

/** What a field says of its text, with a button that takes the text on record. */
function aboutOf(hint: ScopeHint | undefined, take: (text: string) => void): ReactNode {
  if (hint === undefined) return undefined;
  const { text, instead } = hint;
  return (
    <>
      {text}{' '}
      {instead !== undefined && (
        <InlineButton onPress={() => take(instead)}>
          Use <bdi>{instead}</bdi>
        </InlineButton>
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
