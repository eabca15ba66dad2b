//! Tells the code which Python it is built for, and the linker where that is. The recorder's build script, too.

fn main() {
    println!("cargo:rerun-if-env-changed=PYO3_PYTHON");
    pyo3_build_config::use_pyo3_cfgs();
    let config = pyo3_build_config::get();
    if let Some(dir) = config.lib_dir() {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{dir}");
    }
    let version = config.version();
    println!("cargo:rustc-env=SURMISE_PYTHON_VERSION={}.{}", version.major, version.minor);
}
