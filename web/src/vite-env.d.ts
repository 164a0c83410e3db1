/** Vite's additional imports: style sheets, raw text, workers. */
/// <reference types="vite/client" />
