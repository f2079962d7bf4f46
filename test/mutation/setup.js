const fc = require('fast-check');

/** That an example is found is enough; nobody reads the smallest one. */
fc.configureGlobal({ endOnFailure: true });
