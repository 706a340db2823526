import { type ReactNode, useRef, useState } from 'react';
import { where } from '../../../../src/client/client.ts';
import { gatelog } from '../../../lib/client.ts';
import { propertyNameFault, propertyValueFault } from '../../../lib/name-faults.ts';
import { isOfService } from '../../../lib/property-names.ts';
import { Button } from '../../../ui/button.tsx';
import { correctionOf, Form, Row } from '../../../ui/form/form.tsx';
import { TextField } from '../../../ui/form/text-field.tsx';
import { ConfirmButton } from '../../../ui/overlay/confirm-button.tsx';
import { PropertyLink } from '../../../ui/subject-links.tsx';
import styles from './detail.module.css';
import { useReadAgain } from './request-query.ts';

/** Rows that are shown of many properties; a few more are shown all the same. */
const [shownRows, mostRows] = [4, 6];
/** Properties that stand in the line. */
const chips = 6;

export interface PropertiesProps {
  readonly id: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly mayWrite: boolean;
}

/** The caller's own properties of a request in a line; opened, they are added, changed and removed in place. */
export function Properties({ id, properties, mayWrite }: PropertiesProps): ReactNode {
  const [isEditing, setIsEditing] = useState(false);
  const own = ownProperties(properties);
  return (
    <section className={styles['part']} aria-label="Properties">
      <header className={styles['part-head']}>
        {isEditing || own.length === 0 ? (
          <h3>{own.length === 0 ? 'No properties' : 'Properties'}</h3>
        ) : (
          <dl className={styles['chips']}>
            {own.slice(0, chips).map(([name, value]) => (
              <div key={name}>
                <dt dir="auto">{name}</dt>
                <dd className="clip" dir="auto">
                  <PropertyLink {...{ name, value }} />
                </dd>
              </div>
            ))}
            {own.length > chips && <div className="muted">and {own.length - chips} more, see Details</div>}
          </dl>
        )}
        {mayWrite && (
          <Button kind="quiet" aria-expanded={isEditing} onPress={() => setIsEditing(!isEditing)}>
            Edit properties
          </Button>
        )}
      </header>
      {isEditing && <Editor id={id} entries={own} />}
    </section>
  );
}

/** Those that a caller chose: not those by which the service was told of a session. */
export function ownProperties(properties: Readonly<Record<string, string>>): readonly Entry[] {
  return Object.entries(properties).filter(([name]) => !isOfService(name));
}

/** Those by which callers tell the service of sessions and the like. */
export function serviceProperties(properties: Readonly<Record<string, string>>): readonly Entry[] {
  return Object.entries(properties).filter(([name]) => isOfService(name));
}

type Entry = readonly [name: string, value: string];

function Editor({ id, entries }: { readonly id: string; readonly entries: readonly Entry[] }): ReactNode {
  const [isAdding, setIsAdding] = useState(false);
  const [isWhole, setIsWhole] = useState(false);
  const readAgain = useReadAgain(id);
  const isLong = entries.length > mostRows;
  const shown = isWhole || !isLong ? entries : entries.slice(0, shownRows);
  const set = async (name: string, value: string): Promise<void> => {
    await gatelog.requests.setProperties(id, { [name]: value });
    await readAgain();
  };
  const remove = async (name: string): Promise<void> => {
    await removeProperty(id, name);
    await readAgain();
  };
  return (
    <>
      <dl className={styles['properties']}>
        {shown.map(([name, value]) => (
          <Property key={name} {...{ name, value }} onSet={(text) => set(name, text)} onRemove={() => remove(name)} />
        ))}
      </dl>
      {isLong && (
        <Button kind="quiet" onPress={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show all ${entries.length} properties`}
        </Button>
      )}
      {isAdding ? (
        <AddForm onSet={set} onEnd={() => setIsAdding(false)} />
      ) : (
        <Button kind="quiet" onPress={() => setIsAdding(true)}>
          Add a property
        </Button>
      )}
    </>
  );
}

/** The service removes properties by a job, which is over in moments for one request. */
async function removeProperty(id: string, name: string): Promise<void> {
  const { data: job } = await gatelog.requests.change({ filter: where('request_id', 'equals', id), remove: [name] });
  const { state, error } = await gatelog.jobs.ended(job);
  if (state !== 'done') throw new Error(error ?? `The job that removes the property ended as ${state}.`);
}

interface PropertyProps {
  readonly name: string;
  readonly value: string;
  readonly onSet: (value: string) => Promise<void>;
  readonly onRemove: () => Promise<void>;
}

function Property({ name, value, onSet, onRemove }: PropertyProps): ReactNode {
  const [isEditing, setIsEditing] = useState(false);
  const change = useRef<HTMLButtonElement>(null);
  const end = (): void => {
    setIsEditing(false);
    // The button is there again with the next frame.
    requestAnimationFrame(() => change.current?.focus());
  };
  return (
    <div className={styles['property']} data-editing={isEditing}>
      <dt className="clip" dir="auto" title={name}>
        {name}
      </dt>
      <dd>
        {isEditing ? (
          <ValueForm name={name} value={value} onSet={onSet} onEnd={end} />
        ) : (
          <span className="clip" dir="auto" title={value}>
            {value === '' ? <span className="muted">empty</span> : value}
          </span>
        )}
      </dd>
      {!isEditing && (
        <dd className={styles['property-actions']}>
          <Button kind="quiet" ref={change} onPress={() => setIsEditing(true)} aria-label={`Change ${name}`}>
            Change
          </Button>
          <ConfirmButton
            kind="quiet"
            title={`Remove ${name}`}
            consequence={
              <p>
                The request loses its property <b dir="auto">{name}</b>. Its history keeps the value.
              </p>
            }
            onConfirm={onRemove}
          >
            Remove
          </ConfirmButton>
        </dd>
      )}
    </div>
  );
}

interface ValueFormProps {
  readonly name: string;
  readonly value: string;
  readonly onSet: (value: string) => Promise<void>;
  readonly onEnd: () => void;
}

function ValueForm({ name, value, onSet, onEnd }: ValueFormProps): ReactNode {
  const [text, setText] = useState(value);
  const fault = propertyValueFault(text);
  const save = async (): Promise<void> => {
    if (text !== value) await onSet(text);
    onEnd();
  };
  return (
    <Escapable onEscape={onEnd}>
      <Form label={`Change ${name}`} submit="Save" onSubmit={save} onCancel={onEnd} missing={correctionOf(fault)}>
        <TextField label={`Value of ${name}`} isLabelShown={false} value={text} onChange={setText} fault={fault} autoFocus />
      </Form>
    </Escapable>
  );
}

interface AddFormProps {
  readonly onSet: (name: string, value: string) => Promise<void>;
  readonly onEnd: () => void;
}

function AddForm({ onSet, onEnd }: AddFormProps): ReactNode {
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const [nameFault, valueFault] = [propertyNameFault(name), propertyValueFault(value)];
  const add = async (): Promise<void> => {
    await onSet(name.trim(), value);
    onEnd();
  };
  return (
    <Escapable onEscape={onEnd}>
      <Form
        label="Add a property"
        submit="Add"
        onSubmit={add}
        onCancel={onEnd}
        missing={name.trim() === '' ? 'A property needs a name.' : correctionOf(nameFault, valueFault)}
      >
        <Row>
          <TextField label="Name" value={name} onChange={setName} fault={nameFault} autoFocus />
          <TextField label="Value" value={value} onChange={setValue} fault={valueFault} />
        </Row>
      </Form>
    </Escapable>
  );
}

/** Escape gives a form up, and nothing around it. */
function Escapable({ onEscape, children }: { readonly onEscape: () => void; readonly children: ReactNode }): ReactNode {
  return (
    <div
      role="presentation"
      className={styles['form']}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onEscape();
      }}
    >
      {children}
    </div>
  );
}
