const SHAPES = {
  copy: "M5.5 6.5a1 1 0 0 1 1-1h5a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-5a1 1 0 0 1-1-1zM3.5 10.5v-7a1 1 0 0 1 1-1h6",
  close: "M4 4l8 8M12 4l-8 8",
  list: "M3 4h10M3 8h10M3 12h10",
  down: "M8 3v10M4 9l4 4 4-4",
  bin: "M3 4.5h10M6.5 4V2.5h3V4M4.5 4.5l.5 9h6l.5-9",
} as const;

/** Icons that fonts do not provide reliably. The surrounding element provides the accessible name. */
export function Icon({ of }: { readonly of: keyof typeof SHAPES }) {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      aria-hidden="true"
      focusable="false"
    >
      <path d={SHAPES[of]} />
    </svg>
  );
}
