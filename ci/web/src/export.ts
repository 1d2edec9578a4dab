// What is shown, to take along: the plot as a picture and its points as a table.
import type {Loaded} from './history';
import {h} from './dom';

export function save(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const anchor = h('a', {href: address, download: name});
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// The canvas on its background, under a line for each series.
export async function series_png(canvas: HTMLCanvasElement | null, all: Loaded[], root: HTMLElement): Promise<Blob> {
  if (!canvas) throw new Error('There is no plot to draw.');
  const style = getComputedStyle(root);
  const scale = devicePixelRatio,
    line = 20 * scale,
    margin = 12 * scale;
  const picture = h('canvas', {});
  picture.width = canvas.width + 2 * margin;
  picture.height = canvas.height + all.length * line + 2 * margin;
  const pen = picture.getContext('2d') as CanvasRenderingContext2D;
  pen.fillStyle = style.getPropertyValue('--back');
  pen.fillRect(0, 0, picture.width, picture.height);
  pen.font = `${13 * scale}px ${style.fontFamily}`;
  pen.textBaseline = 'middle';
  all.forEach((one, i) => {
    const y = margin + (i + 0.5) * line;
    pen.fillStyle = style.getPropertyValue(`--series-${i % 6}`);
    pen.fillRect(margin, y - 5 * scale, 10 * scale, 10 * scale);
    pen.fillStyle = style.getPropertyValue('--ink');
    pen.fillText(one.label, margin + 16 * scale, y);
  });
  pen.drawImage(canvas, margin, margin + all.length * line);
  return new Promise((resolve, reject) =>
    picture.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('The picture could not be made; take a screenshot.'))),
      'image/png',
    ),
  );
}

// A text cell, and never a formula of a spreadsheet.
const cell = (text: string): string => {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

export function series_csv(all: Loaded[]): Blob {
  const lines = ['benchmark,metric,unit,machine,commit,run,at,value,low,high'];
  for (const one of all) {
    const head = [one.key.benchmark, one.key.metric, one.unit ?? '', one.key.machine ?? ''].map(cell).join(',');
    one.value.forEach((value, i) =>
      lines.push(
        [
          head,
          one.commit[i] ?? '',
          one.run[i],
          one.at[i] > 0 ? new Date(one.at[i] * 1000).toISOString() : '', // of a run without a date
          value ?? '',
          one.low[i] ?? '',
          one.high[i] ?? '',
        ].join(','),
      ),
    );
  }
  return new Blob([lines.join('\n') + '\n'], {type: 'text/csv'});
}
