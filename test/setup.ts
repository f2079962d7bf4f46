import '../testbed/engine/n8nEnvironment';
