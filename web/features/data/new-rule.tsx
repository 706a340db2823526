import { type ReactNode, useState } from 'react';
import type { RedactionRule } from '../../../src/client/types/settings.ts';
import { Checkbox } from '../../ui/form/checkbox.tsx';
import { Form } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { Select } from '../../ui/select.tsx';

const kindOptions = [
  { value: 'email', label: 'e-mail addresses' },
  { value: 'card', label: 'card numbers' },
  { value: 'key', label: 'keys of known shapes' },
  { value: 'regex', label: 'what a pattern matches' },
] as const;

type Place = NonNullable<RedactionRule['applies_to']>[number];

const places: readonly { readonly id: Place; readonly title: string }[] = [
  { id: 'request', title: 'Requests' },
  { id: 'response', title: 'Responses' },
  { id: 'properties', title: 'Properties' },
  { id: 'identifiers', title: 'Users, sessions and other identifiers' },
];

export interface NewRuleProps {
  readonly onStore: (rule: RedactionRule) => Promise<void>;
  readonly onClose: () => void;
}

export function NewRule({ onStore, onClose }: NewRuleProps): ReactNode {
  const [kind, setKind] = useState<RedactionRule['kind']>('email');
  const [pattern, setPattern] = useState('');
  const [replacement, setReplacement] = useState('');
  const [chosen, setChosen] = useState<readonly Place[]>(['request', 'response', 'properties']);
  const store = async (): Promise<void> => {
    await onStore({
      kind,
      pattern: kind === 'regex' ? pattern : null,
      replacement: replacement === '' ? null : replacement,
      applies_to: chosen,
    });
    onClose();
  };
  return (
    <Dialog title="Add a redaction rule" isOpen onClose={onClose}>
      <Form
        label="Redaction rule"
        submit="Add the rule"
        onSubmit={store}
        onCancel={onClose}
        missing={
          chosen.length === 0 ? 'Choose at least one place.' : kind === 'regex' && pattern === '' ? 'A pattern is missing.' : undefined
        }
      >
        <Select label="Redact" isLabelShown value={kind} options={kindOptions} onChange={setKind} />
        {kind === 'regex' && (
          <TextField label="Pattern (RE2)" value={pattern} onChange={setPattern} placeholder="EMP-[0-9]{6}" isCode isRequired />
        )}
        <TextField
          label="Replace with"
          value={replacement}
          onChange={setReplacement}
          placeholder={kind === 'regex' ? '[redacted]' : `[${kind}]`}
        />
        <div>
          {places.map(({ id, title }) => (
            <Checkbox
              key={id}
              isSelected={chosen.includes(id)}
              onChange={(isSelected) => setChosen(isSelected ? [...chosen, id] : chosen.filter((one) => one !== id))}
            >
              {title}
            </Checkbox>
          ))}
        </div>
      </Form>
    </Dialog>
  );
}
