import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { formatCount } from '../../lib/format.ts';
import { propertyNamesQuery } from '../../lib/property-names.ts';
import type { RangeSearch } from '../../lib/time-range.ts';
import { useMay } from '../../lib/signed-in.ts';
import { Empty } from '../../ui/empty.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { Loading } from '../../ui/loading.tsx';
import { PageError } from '../../ui/page-error.tsx';
import { RangeSelect } from '../../ui/time/range-select.tsx';
import { DeclareProperty } from './declare-property.tsx';
import { HiddenProperties } from './hidden-properties.tsx';
import { PropertyValues } from './property-values.tsx';
import type { PropertiesSearch } from './search.ts';
import styles from './properties-page.module.css';

const route = getRouteApi('/shell/properties');

/** A shorter list is seen at once. */
const searchedFrom = 6;

/** The names of properties, and of one of them the values with what they cost. */
export function PropertiesPage(): ReactNode {
  const { name, range, from, to } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: PropertiesSearch & RangeSearch): void => {
    void navigate({ search: (search) => ({ ...search, ...changed }) });
  };
  const mayDeclare = useMay('write');
  const { data: names, error } = useQuery(propertyNamesQuery);
  if (error !== null) return <PageError error={error} page={{ what: 'Properties', back: { to: '/', title: 'Overview' } }} />;
  const shown = name ?? names?.[0];
  return (
    <Page
      title="Properties"
      about={names === undefined ? '' : `${formatCount(names.length)} ${names.length === 1 ? 'name' : 'names'}`}
      actions={mayDeclare && <DeclareProperty />}
      bar={<RangeSelect value={{ range, from, to }} onChange={change} />}
    >
      {names === undefined ? (
        <Loading what="Loading properties" />
      ) : (
        <div className={styles['split']}>
          <Names {...{ names, shown }} mayShow={mayDeclare} />
          {shown === undefined ? (
            <Empty title="No request has a property yet">
              <p className="muted">Calls with a header such as Svc-Property-Team: search have one.</p>
            </Empty>
          ) : (
            <PropertyValues
              key={shown}
              name={shown}
              range={{ range, from, to }}
              mayHide={mayDeclare}
              onHidden={() => change({ name: undefined })}
            />
          )}
        </div>
      )}
    </Page>
  );
}

interface NamesProps {
  readonly names: readonly string[];
  readonly shown: string | undefined;
  readonly mayShow: boolean;
}

function Names({ names, shown, mayShow }: NamesProps): ReactNode {
  const [part, setPart] = useState('');
  const found = names.filter((one) => one.toLowerCase().includes(part.trim().toLowerCase()));
  return (
    <nav aria-label="Names of properties">
      {names.length >= searchedFrom && (
        <TextField label="Search properties" isLabelShown={false} type="search" placeholder="Search" value={part} onChange={setPart} />
      )}
      <ul className={styles['names']}>
        {found.map((one) => (
          <li key={one}>
            <Link
              to="/properties"
              search={(search) => ({ ...search, name: one })}
              aria-current={one === shown ? 'page' : undefined}
              className={styles['name'] ?? ''}
            >
              <span className="clip" dir="auto" title={one}>
                {one}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="muted">No property matches.</p>}
      <HiddenProperties mayShow={mayShow} />
    </nav>
  );
}
