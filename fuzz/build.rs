//! Makes the targets find the libz3 that `./dev setup` unpacked, as `build.rs` of flowcheck does for its own binaries.

fn main() {
    // libFuzzer is C++; set-up tells cargo not to link that library for Z3, which brings its own.
    println!("cargo:rustc-link-lib=stdc++");
    println!("cargo:rerun-if-env-changed=Z3_LIBRARY_PATH_OVERRIDE");
    if let Ok(folder) = std::env::var("Z3_LIBRARY_PATH_OVERRIDE") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
}
