import { type ReactNode, useState } from 'react';
import { basePath } from '../../../lib/base-path.ts';
import { type ExportFormat, exportFormats, fileEnding } from '../../../../src/model/vocabulary/export.ts';
import { allOf, type FilterNode } from '../../../../src/query/filter/ast.ts';
import { filterJson } from '../../../../src/query/language/json.ts';
import { arrivedIn, type RangeSearch, timeRangeOf } from '../../../lib/time-range.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Checkbox } from '../../../ui/form/checkbox.tsx';
import { Row } from '../../../ui/form/form.tsx';
import { Actions, Dialog } from '../../../ui/overlay/dialog.tsx';
import { Select } from '../../../ui/select.tsx';
import type { Column } from '../list/columns.tsx';
import { clientCodeOf, curlOf } from './copied-code.ts';
import styles from './tools.module.css';

const formats = exportFormats.map((format) => ({ value: format, label: format }));

export interface ExportDialogProps {
  readonly filter: FilterNode;
  readonly range: RangeSearch;
  readonly columns: readonly Column[];
  readonly onClose: () => void;
}

/** What is shown as a file, and the same question for programs. */
export function ExportDialog({ filter, range, columns, onClose }: ExportDialogProps): ReactNode {
  const [format, setFormat] = useState<ExportFormat>('csv');
  const [hasBodies, setHasBodies] = useState(false);
  const [now] = useState(() => Date.now());
  const json = JSON.stringify(filterJson(allOf([arrivedIn(timeRangeOf(range, now)), filter])));
  const query = new URLSearchParams({
    filter: json,
    format,
    ...(hasBodies ? { includeBodies: 'true' } : { columns: JSON.stringify([...new Set(columns.flatMap(({ exported }) => exported))]) }),
  });
  return (
    <Dialog title="Export requests" isOpen onClose={onClose}>
      <Row>
        <Select label="Format" isLabelShown value={format} options={formats} onChange={setFormat} />
        <Checkbox isSelected={hasBodies} onChange={setHasBodies}>
          Every column, with both bodies
        </Checkbox>
      </Row>
      <Actions>
        <a
          className={styles['download']}
          href={`${basePath}/v1/export?${query.toString()}`}
          download={`requests${fileEnding(format, 'none')}`}
        >
          Download
        </a>
      </Actions>
      <section className={styles['copies']} aria-label="For programs">
        <h3>For programs</h3>
        <p className="muted">The same requests by the API.</p>
        <CopyButton text={json} label="Copy the filter as JSON">
          Filter as JSON
        </CopyButton>
        <CopyButton text={curlOf(location.origin + basePath, json)} label="Copy as curl">
          curl
        </CopyButton>
        <CopyButton text={clientCodeOf(location.origin + basePath, json)} label="Copy as TypeScript">
          TypeScript
        </CopyButton>
      </section>
    </Dialog>
  );
}
